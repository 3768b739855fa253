/**
 * Writes tools/grafana-schema.json from the types of @grafana/schema: node tools/write-grafana-schema.mjs
 * The packages are installed in a temporary folder, because they are large and needed only here.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGES = ['@grafana/schema@12.4.11', 'ts-json-schema-generator@2.4.0'];
const SCHEMAS = [
  ['dashboard', 'dashboard', 'Dashboard'],
  ['stat.options', 'composable/stat/panelcfg', 'Options'],
  ['timeseries.options', 'composable/timeseries/panelcfg', 'Options'],
  ['timeseries.custom', 'composable/timeseries/panelcfg', 'FieldConfig'],
  ['table.options', 'composable/table/panelcfg', 'Options'],
  ['table.custom', 'composable/table/panelcfg', 'FieldConfig'],
  ['state-timeline.options', 'composable/statetimeline/panelcfg', 'Options'],
  ['state-timeline.custom', 'composable/statetimeline/panelcfg', 'FieldConfig'],
];

const folder = mkdtempSync(join(tmpdir(), 'grafana-schema-'));
try {
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES];
  execFileSync('npm', install, { stdio: 'inherit' });
  const tsconfig = join(folder, 'tsconfig.json');
  const compilerOptions = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    skipLibCheck: true,
  };
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: [] }));
  const { resolve } = createRequire(join(folder, 'package.json'));
  const { createGenerator } = await import(pathToFileURL(resolve('ts-json-schema-generator')).href);
  const schemas = SCHEMAS.map(([name, types, type]) => {
    const path = join(folder, 'node_modules/@grafana/schema/dist/types/raw', types, 'x/types.gen.d.ts');
    const generator = createGenerator({
      path,
      type,
      tsconfig,
      skipTypeCheck: true,
      jsDoc: 'none',
      additionalProperties: false,
    });
    return [name, generator.createSchema(type)];
  });
  const file = fileURLToPath(new URL('./grafana-schema.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(schemas))}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
