import type { PermissionRequest } from '../executors/executor.js';

const MAX_INPUT_BYTES = 64 * 1024;
const MAX_LINE_CHARS = 2_000;

/** Cuts and marks what is too long to be stored and shown to people. */
export function boundedRequest({ tool_call, tool_name, summary, input }: PermissionRequest): PermissionRequest {
  return {
    tool_call: tool_call === null ? null : boundedLine(tool_call),
    tool_name: boundedLine(tool_name),
    summary: boundedLine(summary),
    input: boundedInput(input),
  };
}

function boundedInput(input: Record<string, unknown>): Record<string, unknown> {
  const json = Buffer.from(JSON.stringify(input));
  if (json.length <= MAX_INPUT_BYTES) return input;
  // half, because the beginning becomes a string, in which quotes and backslashes are escaped again
  const beginning = json.subarray(0, MAX_INPUT_BYTES / 2 - 1_024).toString();
  return { is_truncated: true, total_bytes: json.length, beginning };
}

const boundedLine = (text: string): string =>
  text.length <= MAX_LINE_CHARS ? text : `${text.slice(0, MAX_LINE_CHARS)}… (truncated)`;
