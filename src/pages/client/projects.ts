import { api, must } from './api.js';
import { useResource } from './resource.js';

export const useProjects = () =>
  useResource('projects', () => must(api.GET('/api/projects', { params: { query: { limit: 200 } } })));

/** A project, and what one may do in it. */
export const useProject = (project_id: string) =>
  useResource(`project:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}', { params: { path: { project_id } } })),
  );
