import { createHash } from 'node:crypto';
import type { Fqcn } from '../domain/names.js';
import type { Reader } from '../ports/message-log.js';

/** Names of everything the broker keeps in JetStream. A stream's name takes no dots, so a channel's streams are named by its digest. */
export class NatsNames {
  constructor(private readonly prefix: string) {}

  /** The stream that holds a channel's messages. */
  log(fqcn: Fqcn): string {
    return `${this.prefix}-log-${digest(fqcn)}`;
  }

  /** The stream that holds a channel's positions. */
  positions(fqcn: Fqcn): string {
    return `${this.prefix}-positions-${digest(fqcn)}`;
  }

  /** Where a message for the channel is sent. */
  message(fqcn: Fqcn): string {
    return `${this.prefix}.log.${fqcn}`;
  }

  allPositions(fqcn: Fqcn): string {
    return `${this.prefix}.positions.${digest(fqcn)}.*`;
  }

  /** Where one reader's position is sent; hashed, so that a caller's text cannot make a long or forbidden subject. */
  position(fqcn: Fqcn, { address, clientId }: Reader): string {
    return `${this.prefix}.positions.${digest(fqcn)}.${digest(JSON.stringify([address, clientId]))}`;
  }

  /** JetStream tells here what it has stored. */
  appended(fqcn: Fqcn | '>'): string {
    return `${this.prefix}.appended.${fqcn}`;
  }

  /** A broker tells here that it removed a channel. */
  dropped(fqcn: Fqcn | '>'): string {
    return `${this.prefix}.dropped.${fqcn}`;
  }

  /** `Nats-Msg-Id` of a sender's correlation id. An address is the same in any case. */
  repeatKey(sender: string, correlationId: string): string {
    const address = sender.slice(sender.lastIndexOf(':') + 1).toLowerCase();
    return digest(JSON.stringify([address, correlationId]));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
