import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import * as esbuild from 'esbuild';
import { DOWNSTREAM_PACKAGE } from '../../system/own-packages.js';
import { CheckFailure, runOrFail } from '../deploy-check.js';
import { type Form, VECTORS_FOLDER, writeKitProgram } from './kit-program.js';

/** Files of messages by their trust file. */
const FILES = [
  ['trust.json', 'valid.json'],
  ['trust.json', 'invalid.json'],
  ['keccak256-trust.json', 'keccak256.json'],
] as const;

/** A function of the kit and of a function that reads a file. It returns the names of vectors with another result. */
const COMPARE = `(kit, read) => {
  const wrong = [];
  const compare = (file, name, found, expected) => {
    const names = Object.keys(expected).filter((key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]));
    if (names.length > 0) wrong.push(file + ': ' + name + ': ' + names.map((key) => key + ' ' + JSON.stringify(found[key])));
  };
  const readJson = (name) => JSON.parse(read(name));
  for (const [trustFile, file] of ${JSON.stringify(FILES)}) {
    const trust = kit.Trust.fromJson(readJson(trustFile));
    for (const { name, message, verdict } of readJson(file)) {
      const found = kit.verifyMessage(message, { trust });
      compare(file, name, { ...found, id: found.event?.id }, verdict);
    }
  }
  const webhookTrust = kit.Trust.fromJson(readJson('trust.json'));
  for (const { name, body, headers, secret, now, trust, verdict } of readJson('webhooks.json')) {
    const options = { secret, now: new Date(now), ...(trust && { trust: webhookTrust }) };
    const found = kit.verifyWebhook(body, headers, options);
    const expected = verdict.ok ? { retiredKeys: [], ...verdict } : verdict;
    compare('webhooks.json', name, { ...found, id: found.event?.id }, expected);
  }
  const { trusts, vectors } = readJson('evidence.json');
  for (const { name, text, trust, result } of vectors) {
    const found = kit.verifyEvidence(text, trust === null ? {} : { trust: kit.Trust.fromJson(trusts[trust]) });
    const states = { gateway: found.gateway?.state, origin: found.origin?.state };
    compare('evidence.json', name, { ...found, ...states }, { reason: undefined, ...result });
  }
  return wrong;
}`;

const REPORT = `const wrong = compare(kit, (name) => fs.readFileSync(${JSON.stringify(VECTORS_FOLDER)} + '/' + name, 'utf8'));
for (const each of wrong) console.error(each);
if (wrong.length > 0) process.exitCode = 1;
`;

/** Runs every vector with the kit in this folder. @throws CheckFailure */
export async function runVectors(folder: string, form: Form, node: string): Promise<void> {
  const file = writeKitProgram(folder, 'vectors', form, `const compare = ${COMPARE};\n${REPORT}`);
  await runOrFail(node, [file], { cwd: folder, timeoutMs: 120_000 });
}

/** What browsers and Node have, and ECMAScript does not. */
const WEB_GLOBALS = { TextEncoder, TextDecoder, atob, btoa };

/**
 * Runs every vector with the entry for browsers, as one script in a context that has nothing of Node and compiles no code.
 * @returns the size of the script, bytes
 * @throws CheckFailure
 */
export async function runVectorsAsInBrowser(folder: string): Promise<number> {
  const { outputFiles } = await esbuild
    .build({
      stdin: { contents: `export * from '${DOWNSTREAM_PACKAGE}/verify';`, resolveDir: folder },
      bundle: true,
      write: false,
      minify: true,
      platform: 'browser',
      format: 'iife',
      globalName: 'kit',
      logLevel: 'silent',
    })
    .catch((error: unknown) => {
      throw new CheckFailure(`The entry for browsers cannot be bundled: ${String(error)}`);
    });
  const script = outputFiles[0]?.text ?? '';
  const context = createContext({ ...WEB_GLOBALS }, { codeGeneration: { strings: false, wasm: false } });
  runInContext(script, context);
  const compare = runInContext(`(read) => (${COMPARE})(kit, read)`, context) as (
    read: (name: string) => string,
  ) => readonly string[];
  const wrong = compare((name) => readFileSync(join(VECTORS_FOLDER, name), 'utf8'));
  if (wrong.length > 0) throw new CheckFailure([...wrong].join('\n'));
  return script.length;
}
