const { existsSync } = require('node:fs');

/** Leaves out what an earlier build wrote for a test whose source has been removed or renamed since. */
module.exports = (paths) => ({ filtered: paths.filter((path) => existsSync(sourceOf(path))) });

/** An app compiles `src` and `test` into its `dist`, every other package `src` alone. */
function sourceOf(path) {
  const folder = path.includes('/apps/') ? '/' : '/src/';
  return path.replace('/dist/', folder).replace(/\.js$/, '.ts');
}
