// Loaded by Jest outside its module mapping: plain JavaScript.
import { TestEnvironment } from 'jest-environment-node';

/** Gives tests what the worker process itself has: modules that Node loads and compiles once a worker, where Jest does
 *  so for every test file, and the clock and the environment that such modules read. */
export default class NativeEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.native = { import: (file) => import(file), Date, env: process.env };
  }
}
