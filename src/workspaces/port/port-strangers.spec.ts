import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PortProcess } from '../../../test/support/port-process.js';
import { WorkspaceSandbox } from '../../../test/support/workspace-sandbox.js';
import { PortClient } from './port-client.js';
import { portBy } from './port-methods.js';

const SECRET = 'a secret that both ends of the cluster know';
const UNSIGNED = 'POST /workspaces/2/isDirty HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n';

let box: WorkspaceSandbox;
let home: PortProcess;
beforeAll(async () => {
  box = new WorkspaceSandbox();
  home = await PortProcess.start(box.dataDir, SECRET, 'runner-1');
});
afterAll(async () => {
  await home.end();
  box.remove();
});

it('S12: is not closed by strangers who stall, and reads no body of theirs', async () => {
  const workspace = await box.prepared(box.repository('app'));
  const [host, port] = home.address.split(':') as [string, string];
  const stall = (text: string): Socket => {
    const socket = connect(Number(port), host).on('error', () => undefined);
    socket.resume().write(text);
    return socket;
  };
  const refused = Array.from({ length: 70 }, () => stall(UNSIGNED));
  await Promise.all(refused.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const stalled = ['POST /workspaces', ''].flatMap((text) => Array.from({ length: 70 }, () => stall(text)));
  const client = new PortClient(SECRET);
  const far = portBy((method, args) => client.call({ runner_id: 'runner-1', address: home.address }, method, args));
  expect(await far.isDirty(workspace)).toBe(false);
  client.close();
  stalled.forEach((socket) => socket.destroy());
});
