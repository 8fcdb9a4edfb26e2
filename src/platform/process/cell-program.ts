/** URL of the program of `taskyard cell`, which needs Node alone and imports nothing but its neighbours. */
export const cellProgram = new URL('./cell-program.mjs', import.meta.url).href;
