import { FileWatcher, type Logger } from '@ssb/platform';
import { loadOperatorConfig, type Environment } from '../load.js';
import { type OperatorConfig } from '../schema.js';

/** The configuration in use, which changes while the process runs. */
export interface ConfigSource {
  current(): OperatorConfig;
}

export interface OperatorConfigFileOptions {
  readonly path: string;
  /** Values of the placeholders. They stay the same until a restart. */
  readonly environment: Environment;
  /** False: placeholders that only `alerts` uses need no value, so that their secrets stay with the subscriber. Default true. */
  readonly deliversAlerts?: boolean;
  /** True: no placeholder needs a value, and a setting with an unset one has none. Default false. */
  readonly needsNoPlaceholders?: boolean;
  /** A changed file is in use after this time: CONFIG_RELOAD_INTERVAL_MS. */
  readonly intervalMs: number;
  readonly log: Logger;
}

/** Applies a changed configuration. When it throws or rejects, the previous configuration stays in use. */
export type ConfigListener = (config: OperatorConfig) => void | Promise<void>;

/** Notified of each changed file: in use, refused, or usable again after a refused one. */
export interface ReloadObserver {
  readonly onApplied: () => void;
  readonly onRefused: (error: unknown) => void;
  readonly onRecovered: () => void;
}

/** The operator's file, read again when it changes. A file with errors is refused as a whole, and the previous configuration stays in use. */
export class OperatorConfigFile implements ConfigSource {
  private config: OperatorConfig | undefined;
  private listener: ConfigListener = () => undefined;
  private readonly observers: Partial<ReloadObserver>[] = [];
  private readonly watcher: FileWatcher;

  private constructor(options: OperatorConfigFileOptions) {
    const { path, environment, intervalMs, log } = options;
    this.watcher = new FileWatcher({
      paths: [path],
      // A half-written file can be valid, so two checks find the same one.
      intervalMs: intervalMs / 2,
      needsTwoChecks: true,
      apply: async ([content = Buffer.alloc(0)]) => {
        const warnings: string[] = [];
        const changed = loadOperatorConfig(path, environment, (warning) => warnings.push(warning), {
          content,
          ...unsetRule(options),
        });
        if (this.config !== undefined) await this.listener(changed);
        this.config = changed;
        // Unset placeholders are among the warnings.
        if (options.needsNoPlaceholders === true) return;
        for (const detail of warnings) log.warn({ detail }, 'configuration warning');
      },
      onApplied: () => {
        log.info({ path }, 'configuration reloaded');
        for (const { onApplied } of this.observers) onApplied?.();
      },
      onRefused: (err) => {
        log.error({ path, err }, 'configuration reload failed');
        for (const { onRefused } of this.observers) onRefused?.(err);
      },
      onRecovered: () => {
        for (const { onRecovered } of this.observers) onRecovered?.();
      },
    });
  }

  /** Reads and checks the file, once. @throws OperatorConfigError */
  static async open(options: OperatorConfigFileOptions): Promise<OperatorConfigFile> {
    // The error of a missing file is that of the check.
    loadOperatorConfig(options.path, options.environment, undefined, unsetRule(options));
    const file = new OperatorConfigFile(options);
    await file.watcher.load();
    return file;
  }

  current(): OperatorConfig {
    if (this.config === undefined) throw new Error('the configuration file is not open');
    return this.config;
  }

  /** Reads the file again regularly. Called after the listener and the observers are set, so that they see every change. */
  watch(): void {
    this.watcher.watch();
  }

  /** Calls the listener with each changed configuration before it is in use. */
  onChange(listener: ConfigListener): void {
    this.listener = listener;
  }

  observe(observer: Partial<ReloadObserver>): void {
    this.observers.push(observer);
  }

  /** Ends the readings. */
  async close(): Promise<void> {
    await this.watcher.stop();
  }
}

function unsetRule({
  deliversAlerts = true,
  needsNoPlaceholders = false,
}: Pick<OperatorConfigFileOptions, 'deliversAlerts' | 'needsNoPlaceholders'>): {
  readonly allowUnset: boolean | 'in-alerts';
} {
  if (needsNoPlaceholders) return { allowUnset: true };
  return { allowUnset: deliversAlerts ? false : 'in-alerts' };
}

/** The file of an app's settings. @throws OperatorConfigError */
export function openOperatorConfig(
  settings: { readonly CONFIG_FILE: string; readonly CONFIG_RELOAD_INTERVAL_MS: number },
  options: Pick<OperatorConfigFileOptions, 'environment' | 'deliversAlerts' | 'needsNoPlaceholders'>,
  log: Logger,
): Promise<OperatorConfigFile> {
  return OperatorConfigFile.open({
    ...options,
    path: settings.CONFIG_FILE,
    intervalMs: settings.CONFIG_RELOAD_INTERVAL_MS,
    log,
  });
}
