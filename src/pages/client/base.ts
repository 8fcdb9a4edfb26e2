/** Prefix under which a proxy publishes the server, without a trailing slash; usually empty. */
export const base = document.documentElement.dataset.base ?? '';
