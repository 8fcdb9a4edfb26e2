import { isRecord } from '../../platform/fields/normalise.js';
import { RpcError, rpcCodes } from './json-rpc.js';

/** An optional object of texts, as prompts and completions take. @throws RpcError that names it */
export function textValues(value: unknown, name: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value) || !Object.values(value).every((item) => typeof item === 'string')) {
    throw new RpcError(rpcCodes.invalidParams, `${name} must be an object of strings.`);
  }
  return value as Record<string, string>;
}
