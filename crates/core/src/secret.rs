//! Telling from its labels whether a text field holds a secret, for toolkits that do not tell.
//!
//! The rule errs on the side of silence: a field that is taken for a secret one only loses its value in
//! answers, while one that is not taken for one prints a password.

/// Words that, wherever they stand in a label, say that a secret is meant.
const ANYWHERE: &[&str] = &[
    "password",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "hasło",
    "wachtwoord",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "пароль",
    "パスワード",
    "密码",
    "密碼",
    "비밀번호",
];

/// Words that say so only when they stand alone: "pin" is also in "shipping".
const ALONE: &[&str] = &["pin", "puk", "token", "secret", "otp", "cvv", "cvc", "pwd", "passwd", "haslo", "heslo"];

/// Pairs of words that say so together.
const TOGETHER: &[(&str, &str)] =
    &[("pass", "word"), ("pass", "phrase"), ("pass", "code"), ("api", "key"), ("private", "key")];

/// Whether one of these texts (a name, a description, a placeholder, a developers' id) says that the field it
/// belongs to holds a password, a passphrase, a PIN, a token or another secret.
pub fn sounds_secret<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    texts.into_iter().any(|text| {
        let words = words(text);
        let whole = words.join(" ");
        ANYWHERE.iter().any(|word| whole.contains(word))
            || words.iter().any(|word| ALONE.contains(&word.as_str()))
            || words.windows(2).any(|pair| TOGETHER.contains(&(pair[0].as_str(), pair[1].as_str())))
    })
}

/// The words of a label or an identifier in lower case: `apiToken`, `api_token` and `API token` have the same.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for letter in text.chars() {
        // A mnemonic's underline is inside the word; an identifier's stands between two.
        let border = !letter.is_alphanumeric() || letter.is_uppercase() && before_is_lower;
        if border && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_a_secret_is_taken_for_one() {
        for label in [
            "Password",
            "_Password:",
            "Enter your PASSPHRASE",
            "PIN",
            "SIM PIN code",
            "apiToken",
            "user_password",
            "userpassword",
            "client secret",
            "access-token",
            "Pass word",
            "pinCode",
            "API key",
            "Kennwort wiederholen",
            "Hasło",
            "パスワードを入力",
            "CVV2 / CVC",
        ] {
            assert!(sounds_secret([label]), "{label}");
        }
        assert!(sounds_secret(["Field", "", "new-password"]), "any of the texts counts");
    }

    #[test]
    fn what_only_looks_like_it_is_not() {
        for label in
            ["", "Shipping address", "Spinner", "Tokenizer", "Secretary", "Compass", "Pinned tabs", "Passenger"]
        {
            assert!(!sounds_secret([label]), "{label}");
        }
    }
}
