import { isDid, type Did } from '@ssb/identity';
import { IsTextThat } from '@ssb/platform/request-dto';
import { IsNotEmpty, IsString } from 'class-validator';

const MAX_DID_LENGTH = 255;

/** Body of `POST /did/claim`: an issued claim that the caller adds to its own DID document. */
export class DidClaimDto {
  @IsNotEmpty()
  @IsString()
  readonly token!: string;
}

/** Path of `GET /did/:did`. */
export class DidPathDto {
  @IsTextThat(
    (text) => text.length <= MAX_DID_LENGTH && isDid(text),
    'must be a DID of the form did:<method>:<address>',
  )
  readonly did!: Did;
}
