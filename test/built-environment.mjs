import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

/** Lets test files have modules as Node itself loads them: the server and the clients it is called with once a process,
 *  where Jest would read and compile all of them anew for each file. Such modules know Node's globals, not those that
 *  Jest gives a file. */
export default class BuiltEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importBuilt = (name) => import(name);
    this.global.requireBuilt = createRequire(import.meta.url);
    this.global.builtGlobals = globalThis;
  }
}
