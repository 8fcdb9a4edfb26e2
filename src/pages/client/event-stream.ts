/** One server-sent event. */
interface Message {
  event: string;
  data: string;
}

/** Those of a stream, as they arrive together, until its end. */
export async function* messagesOf(body: NonNullable<Response['body']>): AsyncGenerator<Message[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    yield blocks.map(messageOf);
  }
}

const messageOf = (block: string): Message => ({
  event: /^event: (.*)$/m.exec(block)?.[1] ?? '',
  data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
});
