"""Several server processes on one machine, on one address and one store, below one supervisor.

The supervisor owns the embedded store, where there is one, and listens for nothing but its
operator. It starts each worker, starts it again when it ends unasked, and replaces one after the
other when it is asked to.
"""

from contree.server.workers.metrics import WorkerMetrics
from contree.server.workers.orders import Orders, read_orders, tell_serving
from contree.server.workers.process import WorkerEnded
from contree.server.workers.supervisor import supervise

__all__ = ["supervise", "WorkerEnded", "Orders", "read_orders", "tell_serving", "WorkerMetrics"]
