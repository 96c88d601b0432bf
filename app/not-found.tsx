import { Missing } from '@/components/ui/page-head';

export default function NotFound() {
  return (
    <Missing title="There is no such page" href="/" link="To the fleet">
      The address may be mistyped, or what it named was deleted. The fleet shows every session that is known.
    </Missing>
  );
}
