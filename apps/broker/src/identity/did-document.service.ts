import { Inject, Injectable } from '@nestjs/common';
import type { DidDocument } from '@ssb/bus';
import { addressFromDid, type Did, lowerCaseAddress, isSameIdentity } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { hasDidMethod } from '../channels/names.js';
import { BusError } from '../errors/bus-error.js';
import { verifyRoleDecision, type DecisionSettings } from '../roles/role-decision-token.js';
import { isCurrentApproval } from '../roles/role-state.js';
import { RoleRepository } from '../storage/redis/role.repository.js';
import { buildDidDocument } from './did-document.js';

/** DID documents, built from the DID and the approved roles that its subject has added. */
@Injectable()
export class DidDocumentService {
  constructor(
    private readonly roles: RoleRepository,
    @Inject(SETTINGS) private readonly settings: DecisionSettings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Every DID of this bus has a document, because an identity exists without registration (ERC-1056).
   * @throws BusError BUS::NOT_FOUND for a DID of another method
   */
  async get(did: Did): Promise<DidDocument> {
    const { DID_METHOD: method } = this.settings;
    if (!hasDidMethod(did, method)) {
      throw new BusError('BUS::NOT_FOUND', `This bus has only DIDs of the method did:${method}.`, { did });
    }
    return buildDidDocument(did, addressFromDid(did), await this.roles.findByAddress(lowerCaseAddress(did)));
  }

  /**
   * Adds an approved role to the caller's own document; idempotent.
   * The token must be the issuer's current approval, so that an old approval cannot add a revoked role.
   * @throws BusError BUS::INVALID_REQUEST, BUS::FORBIDDEN (not signed by an issuer, or for another subject), BUS::STALE_DECISION
   */
  async addRole(caller: Did, token: string): Promise<DidDocument> {
    const { did, role, decision, iss, iat } = verifyRoleDecision(token, this.settings);
    if (!isSameIdentity(did, caller)) throw claimError('not-the-subject');
    if (decision !== 'approve') throw claimError('not-an-approval');
    const published = { token, issuer: iss, issuedAt: iat };
    const record = await this.roles.change(lowerCaseAddress(caller), role, (before) => {
      if (!isCurrentApproval(before, token) || before.published?.token === token) return before;
      return { ...before, published };
    });
    if (!isCurrentApproval(record, token)) {
      throw new BusError('BUS::STALE_DECISION', 'This is not the current approval of the role.', { role });
    }
    this.log.info({ did, role, issuer: iss }, 'role added to DID document');
    return this.get(caller);
  }
}

function claimError(reason: string): BusError {
  return new BusError('BUS::FORBIDDEN', 'The claim is not accepted.', { reason });
}
