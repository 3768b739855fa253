/** The release that this code belongs to; equal to the version in package.json. */
export const VERSION = '0.1.0';
