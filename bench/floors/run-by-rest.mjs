// Hands over work by REST alone and says the first entry of its log: node run-by-rest.mjs PROJECT_ID SCRIPT
const { TASKYARD_URL: url, TASKYARD_TOKEN: token } = process.env;
const [project_id, prompt] = process.argv.slice(2);
const headers = { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' };

async function asked(path, body) {
  const answer = await fetch(
    `${url}${path}`,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const { task_id } = await asked(`/api/projects/${project_id}/tasks`, { title: prompt, description: prompt });
const started = await asked(`/api/tasks/${task_id}/attempts`, { prompt, executor: 'SHELL' });
const { body } = await fetch(`${url}/api/executions/${started.execution_process_id}/logs/stream`, { headers });
let text = '';
for await (const bytes of body) {
  text += Buffer.from(bytes).toString();
  const data = /^data: (\{"entry.*\})$/m.exec(text)?.[1];
  if (data === undefined) continue;
  process.stdout.write(`${JSON.parse(data).entry.content}\n`);
  process.exit();
}
