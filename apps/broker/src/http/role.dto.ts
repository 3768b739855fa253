import { ROLE_STATES, type RoleState } from '@ssb/bus';
import { FromDigits, IsIntFrom, IsOptionalField } from '@ssb/platform/request-dto';
import { IsIn, IsNotEmpty, IsString, Matches } from 'class-validator';

const MAX_IDENTITIES = 500;

/** Body of `POST /role/claim`. */
export class RoleClaimDto {
  @IsNotEmpty()
  @IsString()
  readonly role!: string;
}

/** Body of `POST /role/decision`: a compact JWS (ES256K) of `RoleDecision`, signed by an issuer. */
export class RoleDecisionDto {
  @IsNotEmpty()
  @IsString()
  readonly token!: string;
}

/** Query of `GET /role/claims`, a page of which looks at some identities, in the order of their addresses. */
export class ListClaimsDto {
  @IsOptionalField()
  @IsIn(ROLE_STATES)
  readonly state?: RoleState;

  @IsIntFrom(1, MAX_IDENTITIES)
  @FromDigits()
  readonly identities: number = MAX_IDENTITIES;

  @IsOptionalField()
  @Matches(/^0x[0-9a-f]{40}$/, { message: '$property must be an address in small letters' })
  readonly after?: string;
}
