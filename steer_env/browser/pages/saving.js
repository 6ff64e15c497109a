// Files of a round: to play again anywhere, as a moving picture, and as a page; and links.

/** Copies a link to what is played. */
async function share() {
  const address = location.href.split("#")[0] + hashOf(app.link);
  try {
    await navigator.clipboard.writeText(address);
    say("The link is copied.");
  } catch {
    say(`Copy this link: ${address}`);
  }
}
function saveRound() {}
function saveGif() {}
function savePage() {}
function openRound() {}
