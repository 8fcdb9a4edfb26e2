/** What is set and looked up now and then, fetched as one file: it is smaller so than each by itself. */
export { InstancePage } from './instance/instance-page.js';
export { ExecutorsPage } from './overview/executors-page.js';
export { ProjectsPage } from './overview/projects-page.js';
export { ThroughputPage } from './overview/throughput-page.js';
export { SettingsPage } from './settings/settings-page.js';
