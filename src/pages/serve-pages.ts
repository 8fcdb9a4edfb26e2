import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { packageFolder } from '../config/version.js';

/** Where the build puts the client. */
const built = path.join(packageFolder, 'dist/src/pages/client');

/** The page for people: a shell without data for each of its addresses, and assets whose names change with them.
 *  @param base prefix that a proxy publishes the server under */
export function servePages(server: FastifyInstance, base: string): void {
  const file = path.join(built, 'shell.html');
  if (!existsSync(file)) throw new Error('The page was not built: run "npm run build".');
  const shell = readFileSync(file, 'utf8').replaceAll('{{base}}', base);
  // not awaited: routes bound before Nest sets its error handler would not get it
  void server.register(staticFiles, {
    root: path.join(built, 'assets'),
    prefix: '/ui/assets/',
    immutable: true,
    maxAge: '1y',
    decorateReply: false,
    index: false,
  });
  const sendShell = (_: unknown, reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(shell);
  server.get('/ui', sendShell);
  server.get('/ui/*', sendShell);
  server.get('/', (_, reply) => reply.redirect(`${base}/ui`));
}
