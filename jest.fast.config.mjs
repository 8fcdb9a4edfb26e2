import everything from './jest.config.mjs';

/** `npm test`: the units, the contracts, and each behaviour of the product once, end to end. */
const fast = ['unit', 'e2e'];

export default {
  ...everything,
  projects: everything.projects.filter(({ displayName }) => fast.includes(displayName)),
};
