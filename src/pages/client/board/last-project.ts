const LAST = 'last-project';

export const rememberProject = (project_id: string) => localStorage.setItem(LAST, project_id);
export const lastProject = () => localStorage.getItem(LAST);
