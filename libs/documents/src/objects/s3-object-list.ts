import { DocumentStoreError } from '../document-store.js';
import type { ListedObject } from './object-storage.js';

export interface ObjectList {
  readonly objects: readonly ListedObject[];
  /** Undefined for the last part of the list. */
  readonly nextToken: string | undefined;
}

/** Reads the response to ListObjectsV2. The keys of documents need no escape in XML. @throws DocumentStoreError */
export function parseObjectList(xml: string): ObjectList {
  if (!xml.includes('<ListBucketResult'))
    throw new DocumentStoreError('The storage sent something else than a list of objects');
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => ({
    key: elementOf(content, 'Key') ?? '',
    bytes: Number(elementOf(content, 'Size')),
  }));
  if (objects.some(({ key, bytes }) => key === '' || !Number.isSafeInteger(bytes)))
    throw new DocumentStoreError('The storage sent a list with an object without key or size');
  const isTruncated = elementOf(xml, 'IsTruncated') === 'true';
  const nextToken = elementOf(xml, 'NextContinuationToken');
  if (isTruncated && nextToken === undefined)
    throw new DocumentStoreError('The storage sent a part of a list without a token for the next part');
  return { objects, nextToken: isTruncated ? nextToken : undefined };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function elementOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}
