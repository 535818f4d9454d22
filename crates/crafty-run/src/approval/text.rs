//! The text of an approval: four lines as minisign writes them, an empty one, the reviewed text. What
//! is signed is the digest alone; minisign's trusted comment, signed with it, has the terms.

use super::{Approval, ApprovalError, ApprovalTerms, SigningKey};
use crate::review::ReviewedDocument;
use minisign::SignatureBox;

/// What the file begins with. This line is not signed.
pub const HEAD: &str = "untrusted comment: crafty approval";

/// What the terms begin with; another form would have another number. A signature that the key's
/// owner made of something else has another comment.
const TERMS: &str = "crafty approval 1";

/// What stands for every host.
const ANY_HOST: &str = "any";

/// Lines of minisign's part.
const SIGNATURE_LINES: usize = 4;

impl ApprovalTerms {
    fn text(&self) -> String {
        format!(
            "{TERMS} digest={} host={} not-before={} not-after={} runs={} id={}",
            self.digest,
            self.host.as_deref().unwrap_or(ANY_HOST),
            self.not_before,
            self.not_after,
            self.runs,
            self.id
        )
    }

    fn parse(text: &str) -> Option<ApprovalTerms> {
        let mut words = text.strip_prefix(TERMS)?.strip_prefix(' ')?.split(' ');
        let mut word = |name: &str| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let terms = ApprovalTerms {
            digest: word("digest")?.into(),
            host: Some(word("host")?)
                .filter(|host| *host != ANY_HOST)
                .map(String::from),
            not_before: word("not-before")?.parse().ok()?,
            not_after: word("not-after")?.parse().ok()?,
            runs: word("runs")?.parse().ok()?,
            id: word("id")?.into(),
        };
        // The number becomes the name of a file.
        let is_whole = words.next().is_none() && is_hexadecimal(&terms.id, 16);
        (is_whole && is_hexadecimal(&terms.digest, 64)).then_some(terms)
    }
}

fn is_hexadecimal(text: &str, digits: usize) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.len() == digits && text.bytes().all(is_digit)
}

impl Approval {
    /// Reads the text of an approval.
    ///
    /// # Errors
    /// If it is none, or its parts do not belong together.
    pub fn parse(text: &str) -> Result<Approval, ApprovalError> {
        let end = text
            .match_indices('\n')
            .nth(SIGNATURE_LINES - 1)
            .map(|(at, _)| at + 1);
        let (signature, document) = end
            .map(|end| text.split_at(end))
            .filter(|_| Approval::is_meant(text))
            .ok_or(ApprovalError::Malformed("it is not an approval"))?;
        let document = document
            .strip_prefix('\n')
            .ok_or(ApprovalError::Malformed("the reviewed text is missing"))?;
        let unreadable = |_| ApprovalError::Malformed("its signature cannot be read");
        let lines = signature;
        let signature = SignatureBox::from_string(lines).map_err(unreadable)?;
        // The library passes over what follows a signature's 74 bytes; one approval has one text.
        if signature.to_string() != lines {
            return Err(ApprovalError::Malformed("its signature cannot be read"));
        }
        let comment = signature.trusted_comment().map_err(unreadable)?;
        let terms = ApprovalTerms::parse(&comment)
            .ok_or(ApprovalError::Malformed("its terms cannot be read"))?;
        let document = ReviewedDocument(document.into());
        if document.digest() != terms.digest {
            let why = "its reviewed text does not have the digest that was signed";
            return Err(ApprovalError::Malformed(why));
        }
        Ok(Approval {
            terms,
            document,
            signature,
        })
    }
}

impl SigningKey {
    /// The text of an approval of what was reviewed; the digest of the terms must be its.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn approve(
        &self,
        document: &ReviewedDocument,
        terms: &ApprovalTerms,
    ) -> Result<String, super::KeyError> {
        let signature = self.sign(&terms.digest, &terms.text(), "crafty approval")?;
        Ok(format!("{signature}\n{}", document.0))
    }
}
