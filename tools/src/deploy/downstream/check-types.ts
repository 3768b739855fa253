import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOWNSTREAM_PACKAGE } from '../../system/own-packages.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure, runAll, runOrFail } from '../deploy-check.js';

/** What a strict project writes. It compiles only with the right types. */
const SOURCE = `import { Consumer, MemoryStore, Trust, verifyEvent, verifyMessage, verifyWebhook, type RejectionReason } from '${DOWNSTREAM_PACKAGE}';
import { Trust as SameTrust } from '${DOWNSTREAM_PACKAGE}/verify';

const trust: Trust = SameTrust.fromJson({});
const message = { fqcn: 'c', topic: 't', payload: '{}', signature: '0x', sender: 'did:ethr:0x' };
const verdict = verifyMessage(message, { trust });
const id: string = verdict.ok ? verdict.event.id : verdict.detail;
const reason: RejectionReason | undefined = verdict.ok ? undefined : verdict.reason;
const webhook = verifyWebhook(new Uint8Array(), { 'webhook-id': id }, { secret: [id], trust });
const consumer = new Consumer({ url: 'https://g', user: 'u', password: 'p', clientId: 'c', trust, store: new MemoryStore() });
consumer.on('margin.breached', (event) => { const figure: string = event.data.tradingMargin; void figure; });
// @ts-expect-error the catalogue has no such type
consumer.on('margin.unknown', () => undefined);
// @ts-expect-error a reason exists only when the verdict is not ok
export const wrong = verifyEvent('{}', { trust }).reason;
export const all = [reason, webhook.ok && webhook.marks];
`;

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: [],
};

const PROJECTS = {
  'node16 module': { file: 'index.mts', module: 'node16', moduleResolution: 'node16' },
  'node16 CommonJS': { file: 'index.cts', module: 'node16', moduleResolution: 'node16' },
  bundler: { file: 'index.ts', module: 'esnext', moduleResolution: 'bundler' },
};

/** Types of other packages make each compilation of a user slower. @throws CheckFailure when the declarations import them */
function checkImports(folder: string): void {
  const content = join(folder, 'node_modules', DOWNSTREAM_PACKAGE);
  for (const file of readdirSync(content).filter((name) => /\.d\.c?ts$/.test(name))) {
    const text = readFileSync(join(content, file), 'utf8');
    for (const [, imported] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g))
      if (imported !== './index.cjs') throw new CheckFailure(`${file} imports ${imported}.`);
  }
}

/** Compiles strict projects that use the installed kit, without types of Node. @throws CheckFailure */
export async function checkTypes(folder: string): Promise<void> {
  checkImports(folder);
  const compiler = join(REPOSITORY_ROOT, 'node_modules/@typescript/native/bin/tsc');
  await runAll(Object.entries(PROJECTS), async ([name, { file, ...options }]) => {
    const project = join(folder, `types-${name.replace(' ', '-')}`);
    mkdirSync(project);
    writeFileSync(join(project, file), SOURCE);
    const compilerOptions = { ...COMPILER_OPTIONS, ...options };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    await runOrFail(process.execPath, [compiler, '-p', project], { cwd: folder, timeoutMs: 120_000 });
  });
}
