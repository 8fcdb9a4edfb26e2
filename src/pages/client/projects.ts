import { useEffect } from 'preact/hooks';
import { api, must } from './api.js';
import { type Resource, useResource } from './resource.js';

const CHANGED = 'projects-changed';

/** Has every part of the page read projects, and one's role in them, again.
 *  @param gone a project that is there no more */
export function projectsChanged(gone?: string): void {
  window.dispatchEvent(new CustomEvent(CHANGED, { detail: gone }));
}

export const useProjects = () =>
  useFollowing(
    null,
    useResource('projects', () => must(api.GET('/api/projects', { params: { query: { limit: 200 } } }))),
  );

/** A project, and what one may do in it. */
export const useProject = (project_id: string) =>
  useFollowing(
    project_id,
    useResource(`project:${project_id}`, () =>
      must(api.GET('/api/projects/{project_id}', { params: { path: { project_id } } })),
    ),
  );

function useFollowing<T>(project_id: string | null, resource: Resource<T>): Resource<T> {
  useEffect(() => {
    const follow = ({ detail: gone }: CustomEventInit<string | null>) =>
      (gone == null || gone !== project_id) && resource.reload();
    window.addEventListener(CHANGED, follow);
    return () => window.removeEventListener(CHANGED, follow);
  }, [project_id]);
  return resource;
}

const LAST = 'last-project';

export const rememberProject = (project_id: string) => localStorage.setItem(LAST, project_id);
export const lastProject = () => localStorage.getItem(LAST);
