import { Missing } from '@/components/ui/page-head';

export default function TranscriptNotFound() {
  return (
    <Missing title="Transcript not found" href="/transcripts" link="All transcripts">
      This server has no transcript with this address: it was never uploaded, or the address is incomplete.
      Deleted transcripts stay in the list.
    </Missing>
  );
}
