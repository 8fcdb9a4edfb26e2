import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type SampleApp, startSampleApp } from '../../test/support/sample-app.js';
import { boundAttempt, inkBook } from '../../test/support/sample-toolset.js';

let app: SampleApp;
const clients: Client[] = [];
beforeAll(async () => {
  app = await startSampleApp();
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(() => app.close());

async function connect(query = ''): Promise<Client> {
  const client = new Client({ name: 'spec', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(app.url + query)));
  clients.push(client);
  return client;
}

describe("the SDK's client", () => {
  it('learns who the server is and how to work with it', async () => {
    const client = await connect();
    expect(client.getServerVersion()).toEqual({ name: 'sample', title: 'Sample', version: '1.0.0' });
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      prompts: {},
      resources: {},
      completions: {},
    });
    expect(client.getInstructions()).toMatch(/^Keeps notes in books\.[^]*hint[^]*retryable/);
    await client.ping();
    await client.setLoggingLevel('debug');
  });

  it.each(['', '?schema=oneof', '?schema=flat', `?attempt_id=${boundAttempt}`])(
    'lists and calls tools on %s, and finds each result in its output schema',
    async (query) => {
      const client = await connect(query);
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['list_notes', 'write_note']));
      const written = await client.callTool({
        name: 'write_note',
        arguments: { action: 'add', book_id: inkBook, text: 'dear diary' },
      });
      expect(written.structuredContent).toMatchObject({ action: 'add' });
      const { structuredContent } = await client.callTool({ name: 'list_notes', arguments: { limit: 1 } });
      expect(structuredContent).toMatchObject({ notes: [{ text: 'dear diary', label: null }] });
    },
  );

  it('gets a refusal as a result that fits the output schema', async () => {
    const client = await connect();
    await client.listTools();
    const refused = await client.callTool({
      name: 'write_note',
      arguments: { action: 'add', note_id: '0198c0de-0000-7000-8000-00000000dead', text: 'x' },
    });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'file_not_found', retryable: false, hint: expect.stringContaining('list_notes') },
    });
    expect(JSON.parse((refused.content as [{ text: string }])[0].text)).toEqual(refused.structuredContent);
  });

  it('gets an unknown tool as a protocol error', async () => {
    const client = await connect();
    await expect(client.callTool({ name: 'read_notes' })).rejects.toMatchObject({
      code: -32602,
      data: { code: 'tool_unknown' },
    });
  });

  it('walks the prompt, with its arguments completed', async () => {
    const client = await connect();
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(['keep_notes']);
    const { messages } = await client.getPrompt({ name: 'keep_notes', arguments: { book_id: 'b', label: 'red' } });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('- list_notes: when') } },
    ]);
    const ref = { type: 'ref/prompt', name: 'keep_notes' } as const;
    expect((await client.complete({ ref, argument: { name: 'label', value: 'label-14' } })).completion).toMatchObject({
      values: expect.arrayContaining(['label-14', 'label-149']),
      total: 11,
      hasMore: false,
    });
    const all = (await client.complete({ ref, argument: { name: 'label', value: '' } })).completion;
    expect([all.values.length, all.total, all.hasMore]).toEqual([100, 150, true]);
    expect(
      (await client.complete({ ref: { type: 'ref/prompt', name: 'unknown' }, argument: { name: 'label', value: '' } }))
        .completion.values,
    ).toEqual([]);
  });

  it('reads the guides', async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    for (const { uri, size } of resources) {
      const [content] = (await client.readResource({ uri })).contents as [
        { uri: string; text: string; mimeType: string },
      ];
      expect(content).toMatchObject({ uri, mimeType: 'text/markdown' });
      expect(Buffer.byteLength(content.text)).toBe(size);
    }
    await expect(client.readResource({ uri: 'taskyard://none' })).rejects.toMatchObject({ code: -32002 });
  });
});
