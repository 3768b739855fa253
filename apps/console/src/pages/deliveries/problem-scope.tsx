import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.js';
import { describeAbout, showParticipant, titleOf } from '../problems/problem-titles.js';

/** Which problem the deliveries below are about, with the way back to it. */
export function ProblemScope({ id }: { readonly id: string }) {
  const { data } = useRead('/v1/problems/{id}', { parts: { id } });
  const words = data && [titleOf(data), describeAbout(data), showParticipant(data.participant)];
  return (
    <p>
      Deliveries of one problem:{' '}
      <Link to="/problems/$id" params={{ id }}>
        {words ? words.filter((each) => each !== '').join(', ') : 'the problem'}
      </Link>
    </p>
  );
}
