import type { CallContext } from './tool.js';

/** Values an agent or a person may type for an argument. Provided by the module that knows them. */
export abstract class CompletionSource {
  /** @param argument its name; @param value what is typed so far; @param context arguments already chosen.
   *  @returns the best first, of any number; nothing for an argument it does not know. */
  abstract complete(
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    call: CallContext,
  ): Promise<string[]>;
}
