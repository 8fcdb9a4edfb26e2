import { pinnedClis } from '../agents/cli/pinned-clis.mjs';
import prepareGround from '../global-setup.mjs';
import { buildDatabaseImage, buildImage, containerEnvironment, whyNot } from './container-tools.mjs';

/** Builds the images once, before any test; they are kept for the next run, layer by layer. */
export default async function setup(config) {
  const why = await whyNot();
  process.env.TEST_IMAGES = JSON.stringify(why === null ? await buildImages() : { why });
  for (const name of Object.keys(containerEnvironment).filter((key) => key.startsWith('CONTAINERS_')))
    process.env[name] = containerEnvironment[name];
  await prepareGround(config);
}

async function buildImages() {
  const server = await buildImage('server');
  return {
    server,
    agents: await buildImage('runner-agents'),
    database: await buildDatabaseImage(),
    pinned: pinnedClis,
  };
}
