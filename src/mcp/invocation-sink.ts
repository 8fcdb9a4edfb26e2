import type { CallContext } from './tool.js';

export interface InvocationStart {
  toolset: string;
  tool: string;
  context: CallContext;
}

/** Learns of every tool call, its begin and its end. Provided by the module that keeps the record. */
export abstract class InvocationSink {
  /** Called once the tool is known, before it runs; who acted is known at the end.
   *  @returns what to call at the end, with the code of a refusal or null */
  abstract enter(call: InvocationStart): (code: string | null) => void;
}
