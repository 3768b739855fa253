/** Pages of one listing that the console reads at most, so that a listing without an end does not occupy the browser. */
export const MAX_PAGES = 200;
