// A part of `npm run test:cluster`: what tests ask of one server is answered by a replica with two runners behind it.
process.env.TEST_CLUSTER = 'on';
await import('../../e2e/kanban/worktrees.e2e-spec.js');
await import('../../e2e/taskflow/requirements.e2e-spec.js');
