import { Missing } from '@/components/ui/page-head';

export default function TranscriptNotFound() {
  return (
    <Missing title="No such transcript" href="/transcripts" link="All transcripts">
      This server has no transcript with this address: it never arrived, or the address is incomplete. A
      deleted transcript keeps its row.
    </Missing>
  );
}
