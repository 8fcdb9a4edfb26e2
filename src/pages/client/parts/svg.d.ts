/** An image as its markup. */
declare module '*.svg' {
  const markup: string;
  export { markup as default };
}
