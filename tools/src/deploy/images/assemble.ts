import { standardError } from '@ssb/platform';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { assembleImage } from './assemble-image.js';
import { IMAGES } from './image-contents.js';

/** `node tools/dist/deploy/images/assemble.js <folder>` writes the files of every image. The Dockerfile runs it. */
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  standardError.write('The folder to write to is missing. Give it as the only argument.\n');
  process.exit(2);
}
for (const [app, contents] of Object.entries(IMAGES)) await assembleImage(app, contents, join(folder, app));
mkdirSync(join(folder, 'data'));
mkdirSync(join(folder, 'cli', 'bin'));
symlinkSync('/app/main.js', join(folder, 'cli', 'bin', 'busbridge'));
await esbuild.stop();
