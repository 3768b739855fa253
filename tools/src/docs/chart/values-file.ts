import { isMap, isScalar, parse, parseDocument, type Pair, type YAMLMap } from 'yaml';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** One value of `values.yaml`. A map without a description has its members in `children`. */
export interface ChartValue {
  readonly path: string;
  readonly default: unknown;
  /** The comment above it that begins with `--`. */
  readonly doc: string | undefined;
  /** The comment below that one, `@schema { … }`: what the default does not say. */
  readonly schema: JsonSchema | undefined;
  readonly children: readonly ChartValue[] | undefined;
}

/** Reads the values in the order of the file. @throws Error when a value has no description */
export function readChartValues(text: string): readonly ChartValue[] {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0]!;
  return readMap(document.contents as YAMLMap, '', document.commentBefore ?? undefined);
}

function readMap(map: YAMLMap, prefix: string, outerComment: string | undefined): readonly ChartValue[] {
  return map.items.map((pair, index) => {
    const key = String((pair.key as { value: unknown }).value);
    // The parser gives the comment above the first key to the map or to the document.
    const outer = index === 0 ? [outerComment, map.commentBefore] : [];
    return readPair(pair, `${prefix}${key}`, [...outer, commentAbove(pair)]);
  });
}

function readPair(
  { value }: Pair,
  path: string,
  comments: readonly (string | null | undefined)[],
): ChartValue {
  const lines = comments.flatMap((comment) => comment?.split('\n') ?? []).map((line) => line.trim());
  // Other comments above the value are headings.
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  if (isMap(value) && start < 0 && value.items.length > 0) {
    const children = readMap(value, `${path}.`, undefined);
    return { path, default: value.toJSON(), doc: undefined, schema: undefined, children };
  }
  if (start < 0)
    throw new Error(
      `The value ${path} of values.yaml has no description. Write one above it that begins with "# -- ".`,
    );
  const [doc = '', schema] = lines.slice(start).join(' ').slice('-- '.length).split('@schema ');
  return {
    path,
    default: isScalar(value) ? value.value : (value as { toJSON(): unknown }).toJSON(),
    doc: doc.trim(),
    schema: schema === undefined ? undefined : (parse(schema) as JsonSchema),
    children: undefined,
  };
}

function commentAbove({ key }: Pair): string | undefined {
  return (key as { commentBefore?: string }).commentBefore;
}
