// What tests ask of pull requests on GitHub, on another forge.
process.env.TEST_FORGES = 'gitea';
await import('../../e2e/delivery/pull-requests.e2e-spec.js');
await import('../../e2e/delivery/watched-pull-requests.e2e-spec.js');
await import('../../e2e/checks/pull-requests.e2e-spec.js');
