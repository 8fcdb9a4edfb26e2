import { TestEnvironment } from 'jest-environment-node';

/** Lets test files have modules as Node itself loads them: the server once a process, where Jest would read and
 *  compile all of it anew for each file. Such modules know Node's globals, not those that Jest gives a file. */
export default class BuiltEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importBuilt = (name) => import(name);
    this.global.builtGlobals = globalThis;
  }
}
