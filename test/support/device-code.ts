/** A person at another device, who types the code at the page of the identity provider and agrees. */
export async function typeCode(page: string, user_code: string): Promise<void> {
  const cookies = new Map<string, string>();
  const ask = async (url: string, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = body ? 'POST' : 'GET';
    const answer = await fetch(url, { method, redirect: 'manual', headers: { cookie }, ...(body && { body }) });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    return next === null ? answer : ask(new URL(next, url).href);
  };
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await (await ask(page)).text()) ?? [];
  const agreed = await ask(page, new URLSearchParams({ xsrf, user_code, confirm: 'yes' }));
  if (!agreed.ok) throw new Error(`the code was refused: ${await agreed.text()}`);
}
