const { existsSync } = require('node:fs');

/** Skips compiled tests whose source file was removed or renamed. */
module.exports = (paths) => ({ filtered: paths.filter((path) => existsSync(toSourcePath(path))) });

/** The `dist` folder of an app contains `src` and `test`. Other packages compile only `src`, directly into `dist`. */
function toSourcePath(path) {
  const folder = path.includes('/apps/') ? '/' : '/src/';
  return path.replace('/dist/', folder).replace(/\.js$/, '.ts');
}
