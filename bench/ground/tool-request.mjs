import { postRequest } from '../measure/connection.mjs';

/** The JSON-RPC message of one tool call. */
export const toolCall = (name, args) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** @param endpoint such as `http://127.0.0.1:8000/mcp`
 *  @returns the structured content.
 *  @throws with the envelope of a refusal */
export async function callTool(connection, endpoint, name, args) {
  const { result, error } = JSON.parse(await connection.send(postRequest(endpoint, toolCall(name, args))));
  if (error || result.isError)
    throw new Error(`${name} was refused: ${JSON.stringify(error ?? result.structuredContent)}`);
  return result.structuredContent;
}
