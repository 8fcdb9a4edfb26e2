import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Environment } from '../config/environment.js';
import { packageFolder } from '../config/version.js';
import { waysToSignIn } from './sign-in-ways.js';

/** Where the build puts the client. */
const built = path.join(packageFolder, 'dist/src/pages/client');

/** The page without data. */
export function shellFor(environment: Environment): string {
  const file = path.join(built, 'shell.html');
  if (!existsSync(file)) throw new Error('The page was not built: run "npm run build".');
  return readFileSync(file, 'utf8')
    .replaceAll('{{base}}', environment.BASE_PATH)
    .replace('{{signIn}}', waysToSignIn(environment));
}

/** The page for people: a shell for each of its addresses, and assets whose names change with them. */
export function servePages(server: FastifyInstance, environment: Environment): void {
  const shell = shellFor(environment);
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
  server.get('/', (_, reply) => reply.redirect(`${environment.BASE_PATH}/ui`));
}
