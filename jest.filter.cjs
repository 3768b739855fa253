const { existsSync } = require('node:fs');

/** Skips compiled tests whose source file was removed or renamed, and with PURE_TESTS those that start a server or another process. */
module.exports = async (paths) => {
  const files = paths.filter((path) => existsSync(toSourcePath(path)));
  if (process.env.PURE_TESTS === undefined) return { filtered: files };
  const { selectPureTests } = await import('./tools/dist/check/pure-tests.js');
  return { filtered: selectPureTests(files) };
};

/** A package with a folder `test`, and the console, compile `src` into `dist/src`. Others compile only `src`, directly into `dist`. */
function toSourcePath(path) {
  const [folder, file] = path.split('/dist/');
  return `${folder}${existsSync(`${folder}/test`) || file.startsWith('src/') ? '/' : '/src/'}${file.replace(/\.js$/, '.ts')}`;
}
