import { Inject, Injectable } from '@nestjs/common';
import type { DidDocument } from '@ssb/bus';
import { addressFromDid, type Did, identityOf, sameIdentity } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { isOfBus } from '../channels/names.js';
import { didDocument } from './did-document.js';
import { standsApproved } from '../roles/role-state.js';
import { issuedDecision, type DecisionSettings } from './signed-token.js';
import { RoleRegister } from '../storage/redis/role.repository.js';

/** DID documents: made of what a DID is, and of the approved roles that its subject has added itself. */
@Injectable()
export class DidDocuments {
  constructor(
    private readonly register: RoleRegister,
    @Inject(SETTINGS) private readonly settings: DecisionSettings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Of any DID of this bus: such an identity exists without being registered (ERC-1056).
   * @throws BusError BUS::NOT_FOUND for another method's: what it stands for is not told here
   */
  async show(did: Did): Promise<DidDocument> {
    const { DID_METHOD: method } = this.settings;
    if (!isOfBus(did, method)) {
      throw new BusError('BUS::NOT_FOUND', `This bus has no DIDs but those of did:${method}.`, { did });
    }
    return didDocument(did, addressFromDid(did), await this.register.of(identityOf(did)));
  }

  /**
   * Adds an approved role to the caller's own document; harmless when repeated. The token is the issuer's approval, and must be the one
   * that stands: a role that was revoked cannot be shown with the words of yesterday.
   * @throws BusError BUS::INVALID_REQUEST, BUS::FORBIDDEN (not an issuer's, or about somebody else), BUS::STALE_DECISION
   */
  async add(caller: Did, token: string): Promise<DidDocument> {
    const { did, role, decision, iss, iat } = issuedDecision(token, this.settings);
    if (!sameIdentity(did, caller)) throw refused('not-the-subject');
    if (decision !== 'approve') throw refused('not-an-approval');
    const published = { token, issuer: iss, issuedAt: iat };
    const record = await this.register.change(identityOf(caller), role, (before) => {
      if (!standsApproved(before, token) || before.published?.token === token) return before;
      return { ...before, published };
    });
    if (!standsApproved(record, token)) {
      throw new BusError('BUS::STALE_DECISION', 'This is not the approval that stands.', { role });
    }
    this.log.info({ did, role, issuer: iss }, 'role added to the DID document');
    return this.show(caller);
  }
}

function refused(reason: string): BusError {
  return new BusError('BUS::FORBIDDEN', 'The claim is not accepted.', { reason });
}
