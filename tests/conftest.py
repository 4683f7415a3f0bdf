"""How properties are tried: a machine that is busy is no fault of the code."""

from hypothesis import HealthCheck, settings

settings.register_profile("contree", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("contree")
