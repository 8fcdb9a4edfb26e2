import { absolute, aside, format, ratio } from '../figures.mjs';
import { addTasks, fillLargeProject } from '../ground/large-project.mjs';
import { Connection, getRequest } from '../measure/connection.mjs';
import { quantile } from '../measure/statistics.mjs';

/** As many as TASKS says: a hundred thousand more take about ten seconds to seed. */
const MANY = Number(process.env.TASKS ?? 10_000_000);
const FEW = 1_000;
const CALLS = 40;
const BOARD = {
  board: '',
  'board, a priority': '?priority=high',
  'board, a tag that all have': '?tag=backend',
  'board, a tag of few': '?tag=seldom',
  'board, a tag of none': '?tag=nothing',
  'board, an assignee': '?assignee=Grace',
  'board, an executor': '?executor=SHELL',
  'board, an executor of none': '?executor=CODEX',
  'board, a common word': '?search=health',
  'board, a rare word': '?search=quokka',
  'board, a word of none': '?search=numbat',
  'board, a word and a tag': '?search=place77&tag=backend',
  'board, archived': '?archived=true',
  'board, an archived word': '?archived=true&search=health',
};
const LISTS = {
  list: '?limit=50',
  'list, of a status': '?status=inreview',
  'list, a common word': '?query=health',
  'list, a rare word': '?query=quokka',
  'list, archived': '?archived=true',
};
/** What is read beside it, of all projects. */
const BESIDE = ['/api/inbox', '/api/inbox/notices', '/api/work'];
const WORDS = ['health', 'health check', 'place', 'place77', 'quokka', 'numbat', 'answers within', 'task 4711', 'he'];

/** What a person looks at in a project of very many tasks, and in one of few that is older and newer than all of these,
 *  against the same in one of few. */
export async function largeProject(ground) {
  const url = await ground.database();
  const client = await ground.connect(url);
  const few = await fillLargeProject(client, 'few', FEW);
  const around = await fillLargeProject(client, 'around', FEW / 2);
  const many = await fillLargeProject(client, 'many', MANY);
  await addTasks(client, around, FEW / 2 + 1, FEW);
  const server = await ground.server(url);
  const connection = await Connection.open(server.url);
  const figures = await compare(connection, server, few, many);
  const aroundFigures = await compare(connection, server, few, around);
  const search = [];
  for (const words of WORDS)
    search.push(...(await latencies(connection, server, `/api/search?q=${encodeURIComponent(words)}`)));
  const beside = [];
  for (const path of BESIDE) beside.push([path, quantile(await latencies(connection, server, path), 0.5)]);
  connection.close();
  return [
    ...slowest(figures, `of a project of ${format(MANY)} tasks`),
    ...slowest(aroundFigures, `of ${format(FEW)} tasks, half before those and half after`),
    ...beside.map(([path, ms]) => absolute(`GET ${path} beside it, p50`, ms, 'ms', '', { below: 60 })),
    absolute(`GET /api/search, ${WORDS.length} queries beside it, p95`, quantile(search, 0.95), 'ms', '', {
      below: 150,
    }),
    ...figures.map(({ name, fewMs, otherMs, times }) =>
      aside(name, `${format(otherMs)} ms: ${times.toFixed(2)} ×`, `${format(fewMs)} ms`),
    ),
  ];
}

function slowest(figures, of) {
  const most = (field) => figures.reduce((one, other) => (other[field] > one[field] ? other : one));
  const [worst, longest] = [most('times'), most('otherMs')];
  return [
    ratio(
      `the slowest ${of} by ratio, p50`,
      `${format(worst.otherMs)} ms (${worst.name})`,
      `the same on ${format(FEW)} tasks: ${format(worst.fewMs)} ms`,
      worst.times,
      { atMost: 2 },
    ),
    absolute(`the slowest ${of} by time, p50 (${longest.name})`, longest.otherMs, 'ms', '', { below: 60 }),
  ];
}

const views = () => ({
  ...Object.fromEntries(
    Object.entries(BOARD).map(([name, query]) => [name, (id) => `/api/projects/${id}/board${query}`]),
  ),
  ...Object.fromEntries(
    Object.entries(LISTS).map(([name, query]) => [name, (id) => `/api/projects/${id}/tasks${query}`]),
  ),
});

/** Medians of each view by calls in turn, so that a busy moment weighs on both projects. */
async function compare(connection, server, few, other) {
  const figures = [];
  for (const [name, pathOf] of Object.entries(views())) {
    const found = { few: [], other: [] };
    for (let call = 0; call < CALLS; call += 1) {
      found.few.push(...(await latencies(connection, server, pathOf(few), 1)));
      found.other.push(...(await latencies(connection, server, pathOf(other), 1)));
    }
    const [fewMs, otherMs] = [quantile(found.few, 0.5), quantile(found.other, 0.5)];
    figures.push({ name, fewMs, otherMs, times: otherMs / fewMs });
  }
  return figures;
}

async function latencies(connection, server, path, count = CALLS) {
  const request = getRequest(`${server.url}${path}`);
  const found = [];
  while (found.length < count) {
    const sentAt = performance.now();
    await connection.send(request);
    found.push(performance.now() - sentAt);
  }
  return found;
}
