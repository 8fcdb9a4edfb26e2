/** Prefix under which a proxy publishes the server, without a slash at its end; mostly empty. */
export const base = document.documentElement.dataset.base ?? '';
