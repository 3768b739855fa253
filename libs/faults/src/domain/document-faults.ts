import { alertSubject, FURTHER_DOCUMENTS, type AlertTopic } from '@ssb/events';

/** Documents of one reason, participant and interface that have a fault of their own. Further ones share a fault. */
export const MAX_DOCUMENT_FAULTS = 10;

/** Further documents whose number is known. Of more, the fault says "at least". */
const MAX_COUNTED_DOCUMENTS = 5_000;

interface Group {
  /** Subjects of the documents with a fault of their own. */
  readonly own: Set<string>;
  readonly further: Set<string>;
}

/** Decides which documents have a fault of their own, so that the number of faults is bounded. */
export class DocumentFaults {
  private readonly groups = new Map<string, Group>();

  /** @returns 'own', or whether the document is a new one of those that share a fault */
  add(topic: AlertTopic): 'own' | 'further' | 'further-again' {
    const key = alertSubject(topic);
    const group = this.groupOf(topic);
    if (group.own.has(key)) return 'own';
    const isKnown = group.further.has(key);
    if (group.own.size < MAX_DOCUMENT_FAULTS) {
      group.further.delete(key);
      group.own.add(key);
      return 'own';
    }
    if (group.further.size < MAX_COUNTED_DOCUMENTS) group.further.add(key);
    return isKnown ? 'further-again' : 'further';
  }

  /** Forgets a document that has no fault any more. @returns whether it shared a fault */
  remove(topic: AlertTopic): boolean {
    const key = alertSubject(topic);
    const group = this.groups.get(groupKey(topic));
    if (group === undefined) return false;
    const isFurther = group.further.delete(key);
    group.own.delete(key);
    if (group.own.size + group.further.size === 0) this.groups.delete(groupKey(topic));
    return isFurther;
  }

  /** The number of documents that share a fault with the one of this topic. */
  countFurther(topic: AlertTopic): number {
    return this.groups.get(groupKey(topic))?.further.size ?? 0;
  }

  /** One sentence about the documents that share a fault. */
  describeFurther(topic: AlertTopic): string {
    const count = this.countFurther(topic);
    const atLeast = count < MAX_COUNTED_DOCUMENTS ? '' : 'at least ';
    return `${atLeast}${count} further documents have the same fault; ${MAX_DOCUMENT_FAULTS} are reported one by one`;
  }

  private groupOf(topic: AlertTopic): Group {
    const known = this.groups.get(groupKey(topic));
    if (known !== undefined) return known;
    const group = { own: new Set<string>(), further: new Set<string>() };
    this.groups.set(groupKey(topic), group);
    return group;
  }
}

/** The topic of the fault that documents share. */
export function furtherDocuments(topic: AlertTopic): AlertTopic {
  return { ...topic, document: FURTHER_DOCUMENTS };
}

function groupKey(topic: AlertTopic): string {
  return alertSubject(furtherDocuments(topic));
}
