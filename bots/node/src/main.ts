// The sample bot of contree in TypeScript: see README.md.

import { decide } from './bot.js';
import { decideFromStdin, run } from './connection.js';

if (process.argv[2] === '--decide') {
  await decideFromStdin(decide);
} else {
  run({ name: 'starter-node', version: '1', decide });
}
