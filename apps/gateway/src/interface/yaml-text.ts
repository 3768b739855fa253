import { stringify } from 'yaml';

/** A document as YAML 1.2 without anchors, long texts on one line each. */
export function yamlText(document: Record<string, unknown>): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}
