// Run by Spawner as a separate process: starts programs for the server, whose size makes a fork slow. Their streams are
// connections to the server; their start and end are told over the channel to it, which closes with the server.
import { startWithStreams } from './started-program.mjs';

function start({ id, ...request }) {
  const tell = (report) => process.connected && process.send({ id, ...report });
  void startWithStreams({ cwd: '/', ...request }, tell, () => process.connected);
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
process.on('message', start);
process.once('disconnect', () => process.exit());
